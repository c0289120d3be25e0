CREATE TABLE `member_place` (
	`member_id` integer NOT NULL,
	`parent_id` integer NOT NULL,
	`weight` integer NOT NULL,
	PRIMARY KEY(`member_id`, `parent_id`)
);
--> statement-breakpoint
CREATE INDEX `member_place_parent` ON `member_place` (`parent_id`);