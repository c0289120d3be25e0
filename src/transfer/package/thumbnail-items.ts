import type { JsonObject } from '../../base/json.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import { completeItems, validateField } from '../../field-types/validate-field.ts';
import type { Item } from '../../model/content-model.ts';
import { define } from '../../repository/content/base-field.ts';
import { reference } from '../../repository/content/resolve-references.ts';
import type { Services } from '../../repository/content/services.ts';
import type { Targets } from '../../repository/content/targets.ts';
import { validationFailed } from '../../repository/errors.ts';
import { genericIcon } from '../../repository/files/generic-icon.ts';
import { sizeIn } from './document-members.ts';

const THUMBNAIL = define('thumbnail', 'Thumbnail', 'image', { targetType: 'file' });
const ICON_SIZE = { width: 180, height: 180 };

/**
 * The picture that stands for a media: its own file if that is among `targets`, which is what the media refers to anyway,
 * and otherwise the icon of this repository. Throws `unprocessable` for texts that cannot be those of a picture.
 */
export async function thumbnailItems(
  services: Services,
  document: JsonObject,
  targets: Targets,
  isFormer: boolean,
): Promise<Item[]> {
  const raw = document.thumbnail ?? [];
  const [item] = parseItems(raw, THUMBNAIL, services.fields.types);
  if (item === undefined) return [];
  const violations = validateField([item], THUMBNAIL, services.fields);
  if (violations.length > 0) throw validationFailed(violations);
  const target = typeof item.target_uuid === 'string' ? targets.get('file', item.target_uuid) : undefined;
  const icon = target === undefined ? await genericIcon(services) : undefined;
  if (target === undefined && icon === undefined) return [];
  const whole =
    target === undefined
      ? { ...item, ...icon, ...ICON_SIZE }
      : reference(services.fields.types.of(THUMBNAIL), item, target);
  const [complete = {}] = completeItems([whole], THUMBNAIL, services.fields);
  const then = Array.isArray(raw) ? raw[0] : undefined;
  if (!isFormer || target === undefined || typeof then !== 'object' || then === null || Array.isArray(then))
    return [complete];
  return [{ ...complete, width: sizeIn(then.width), height: sizeIn(then.height) }];
}
