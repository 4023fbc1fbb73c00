"""Parts of networks in torch; this folder is imported only where one is built."""
