"""The checker: does a certificate prove that one trace is a correct optimization of another one?

It reads the two traces itself, states what must hold as the contract does, over plain terms of Z3, and asks about one
obligation after the other. It shares nothing with the prover that makes certificates but the language (`optimizer.ir`).
"""
