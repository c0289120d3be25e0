ALTER TABLE `media` ADD `sort_label` text;--> statement-breakpoint
ALTER TABLE `node` ADD `sort_label` text;--> statement-breakpoint
ALTER TABLE `paragraph` ADD `sort_label` text;--> statement-breakpoint
ALTER TABLE `taxonomy_term` ADD `sort_label` text;--> statement-breakpoint
CREATE INDEX `taxonomy_term_order` ON `taxonomy_term` (`bundle`,`sort_label`,`id`);--> statement-breakpoint
CREATE INDEX `taxonomy_term_unordered` ON `taxonomy_term` (`id`) WHERE "taxonomy_term"."sort_label" IS NULL AND "taxonomy_term"."folded_label" IS NOT NULL;