"""The command `validate`, and what all command lines share."""
