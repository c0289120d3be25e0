ALTER TABLE `media_revision` ADD `checksum` text;--> statement-breakpoint
ALTER TABLE `node_revision` ADD `checksum` text;--> statement-breakpoint
ALTER TABLE `paragraph_revision` ADD `checksum` text;--> statement-breakpoint
ALTER TABLE `taxonomy_term_revision` ADD `checksum` text;