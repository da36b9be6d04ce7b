"""The clinic domain: a care pathway of four dependent bookings."""
