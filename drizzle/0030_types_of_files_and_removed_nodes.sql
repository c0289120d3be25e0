ALTER TABLE `file` ADD `recognized_type` text;--> statement-breakpoint
ALTER TABLE `node_record` ADD `removed_model` text;