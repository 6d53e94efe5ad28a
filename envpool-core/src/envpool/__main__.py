# SPDX-License-Identifier: Apache-2.0
"""`python -m envpool` is the command `envpool`."""

from .cli import main

main()
