"""Faults planted into optimized traces of a log of PyPy: which are found, with all inferred from the faulty log?"""
