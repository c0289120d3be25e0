import type { Item } from '../../model/content-model.ts';
import { filePath } from '../../paths.ts';
import type { Services } from '../services.ts';

/** The picture that stands for media that are no picture; made at the first start. */
export const GENERIC_ICON_URI = 'public://media-icons/generic.png';

/** A reference to the icon, without alt and size; undefined if someone has deleted it. */
export async function genericIcon({ database }: Services): Promise<Item | undefined> {
  const { rows } = await database.client.execute({
    sql: 'SELECT id, uuid FROM file WHERE uri = ?',
    args: [GENERIC_ICON_URI],
  });
  const [row] = rows as unknown as [number, string][];
  if (row === undefined) return undefined;
  return { target_id: row[0], target_type: 'file', target_uuid: row[1], url: filePath(GENERIC_ICON_URI) };
}
