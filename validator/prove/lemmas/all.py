"""The lemmas that are tried, in this order."""

from __future__ import annotations

from validator.prove.lemmas.division import DIVISION_LEMMAS
from validator.prove.lemmas.orders import ORDER_LEMMAS
from validator.prove.lemmas.products import PRODUCT_LEMMAS
from validator.prove.lemmas.sums import SUM_LEMMAS

LEMMAS = (*DIVISION_LEMMAS, *PRODUCT_LEMMAS, *SUM_LEMMAS, *ORDER_LEMMAS)
