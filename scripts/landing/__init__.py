"""Landing: a declared file is fetched, verified, validated and loaded into the `raw` schema."""
