import pytest

pytest.register_assert_rewrite("agreement", "cases")
