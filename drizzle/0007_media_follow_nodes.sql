ALTER TABLE `media` ADD `has_lost_node` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `media` SET `has_lost_node` = 1 WHERE `is_dangling` = 1 AND json_array_length(`document`, '$.field_media_of') > 0
	AND NOT EXISTS (SELECT 1 FROM `reference` WHERE `source_type` = 'media' AND `source_id` = `media`.`id`
	AND `field` = 'field_media_of' AND `target_type` = 'node');
--> statement-breakpoint
UPDATE `media` SET `has_lost_node` = 1 WHERE `has_lost_node` = 0
	AND NOT EXISTS (SELECT 1 FROM `reference` WHERE `source_type` = 'media' AND `source_id` = `media`.`id`
	AND `field` = 'field_media_of' AND `target_type` = 'node')
	AND EXISTS (SELECT 1 FROM `media_revision` r, json_each(r.`snapshot` ->> '$.document', '$.field_media_of') i
	WHERE r.`entity_id` = `media`.`id` AND r.`snapshot` IS NOT NULL
	AND NOT EXISTS (SELECT 1 FROM `node` n WHERE n.`id` = i.`value` ->> '$.target_id'));
