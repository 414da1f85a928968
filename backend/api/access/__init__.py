"""Who a caller is: over loopback, with the token, or signed in with a cookie."""
