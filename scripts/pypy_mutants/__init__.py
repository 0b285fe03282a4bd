"""Faults planted into optimized traces of a log of PyPy: which are found, though all is inferred from the faulty log?"""
