CREATE VIRTUAL TABLE `search_word` USING fts5vocab(search_text, row);
