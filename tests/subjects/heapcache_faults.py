"""The planted faults of the heap cache. The held-out half must not be tuned on: it is for measuring alone."""

from __future__ import annotations

from planted import Fault

FAULTS = (
    Fault("aliasing store", "what is known of p.f outlives a store to q.f"),
    Fault("call that writes an inherited field", "a call that writes Leaf.value leaves what is known of Node.value"),
    Fault("call that writes a whole struct", "a call that writes Node leaves what is known of Node.value"),
    Fault("immutable field that a call names", "an immutable field outlives a call that writes it by its name"),
    Fault("event that keeps items", "items of arrays outlive events, fields do not"),
    Fault("indices compared by name", "items at i and at 2 are two items"),
    Fault("interior index ignored", "fields of the structs in an array are told apart by their names alone"),
    Fault(
        "store of NULL missing in an exit", "a store of 0 or NULL that is put off is not in the exits that it passes"
    ),
    Fault("one store in an exit", "of stores that are put off the last one alone is in the exits of guards"),
    Fault("shallow exit", "an object in an exit gets its fields, an object in its fields does not"),
    Fault("shared object twice in an exit", "an object in two fields of objects that an exit makes is made twice"),
    Fault("exit stores what passing taught", "stores in the exit of a guard use what is known behind it"),
    Fault("inner object read as virtual", "an object that was forced as a field of another is read as it was then"),
    Fault("escape inside an escaping object", "an object that was forced as a field of another is taken for unseen"),
    Fault(
        "null check of a class", "guard_nonnull_class of what is not NULL becomes guard_class, which arrays have not"
    ),
    Fault("subclass taken for the class", "behind guard_subclass the class is taken to be exactly that one"),
    Fault("lengths by descr", "two arrays of one descr have one length"),
    Fault(
        "store redundant across a call that writes", "a store of what was stored there goes, though a call may write it"
    ),
    Fault("put-off item hides a read at another index", "a load of an item does not look at stores that are put off"),
    Fault("store put off over a reading call", "a store is put off over a call that reads it and does not write it"),
)
