CREATE TABLE `merged_term` (
	`id` integer PRIMARY KEY NOT NULL,
	`into_id` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `merged_term_into` ON `merged_term` (`into_id`);
