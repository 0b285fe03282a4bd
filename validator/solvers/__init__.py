"""The solvers that what is left of an obligation goes to. Nothing outside of this folder speaks to one."""
