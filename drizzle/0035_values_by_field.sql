UPDATE `bulk_item` SET
  `before` = json_object((SELECT `about` ->> '$.parameters.field' FROM `run` WHERE `run`.`id` = `run_id`), json(`before`)),
  `after` = json_object((SELECT `about` ->> '$.parameters.field' FROM `run` WHERE `run`.`id` = `run_id`), json(`after`))
WHERE `before` IS NOT NULL AND `after` IS NOT NULL;
