import { eq } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { prepare } from '../../database/statement.ts';
import type { Item } from '../../model/content-model.ts';
import { filePath } from '../../paths.ts';
import type { BaseServices } from '../base-services.ts';

/** The picture that stands for media that are no picture; made at the first start. */
export const GENERIC_ICON_URI = 'public://media-icons/generic.png';

const findIcon = prepare(() =>
  query.select({ id: files.id, uuid: files.uuid }).from(files).where(eq(files.uri, GENERIC_ICON_URI)).limit(1),
);

/** A reference to the icon, without alt and size; undefined if someone has deleted it. */
export async function genericIcon({ database }: Pick<BaseServices, 'database'>): Promise<Item | undefined> {
  const icon = await database.get(findIcon());
  if (icon === undefined) return undefined;
  const { id, uuid } = icon;
  return { target_id: id, target_type: 'file', target_uuid: uuid, url: filePath(GENERIC_ICON_URI) };
}
