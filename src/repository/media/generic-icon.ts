import type { Item } from '../../model/content-model.ts';
import { filePath } from '../../paths.ts';
import type { Services } from '../services.ts';

/** The picture that stands for media that are no picture; made at the first start. */
export const GENERIC_ICON_URI = 'public://media-icons/generic.png';

/** A reference to the icon, without alt and size; undefined if someone has deleted it. */
export async function genericIcon({ database }: Services): Promise<Item | undefined> {
  const row = await database.first('SELECT id, uuid FROM file WHERE uri = ?', [GENERIC_ICON_URI]);
  if (row === undefined) return undefined;
  const [id, uuid] = row as unknown as [number, string];
  return { target_id: id, target_type: 'file', target_uuid: uuid, url: filePath(GENERIC_ICON_URI) };
}
