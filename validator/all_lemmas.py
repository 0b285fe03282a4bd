"""The lemmas that are tried, in this order."""

from __future__ import annotations

from validator.division_lemmas import DIVISION_LEMMAS
from validator.order_lemmas import ORDER_LEMMAS
from validator.product_lemmas import PRODUCT_LEMMAS
from validator.sum_lemmas import SUM_LEMMAS

LEMMAS = (*DIVISION_LEMMAS, *PRODUCT_LEMMAS, *SUM_LEMMAS, *ORDER_LEMMAS)
