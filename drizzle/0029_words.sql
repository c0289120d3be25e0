CREATE TABLE `search_title_word` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `search_title_word_key` ON `search_title_word` (`key`);
