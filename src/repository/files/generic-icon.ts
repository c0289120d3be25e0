import { eq } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import { failedUniqueness } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { prepare } from '../../database/statement.ts';
import type { Item } from '../../model/content-model.ts';
import { filePath } from '../../paths.ts';
import type { Actor } from '../actor.ts';
import type { BaseServices } from '../base-services.ts';
import { type FileIds, insertFile } from './file-rows.ts';
import iconFile from './generic-icon.png' with { type: 'file' };
import { ingest, keepIf } from './ingest.ts';
import { type Schemes, schemeNamedBy, storeForNew } from './scheme.ts';

/** The thumbnail of media without an image, created at the first start. */
export const GENERIC_ICON_URI = 'public://media-icons/generic.png';

const findIcon = prepare(() =>
  query.select({ id: files.id, uuid: files.uuid }).from(files).where(eq(files.uri, GENERIC_ICON_URI)).limit(1),
);

/** Returns a reference to the icon, without alt text and size; undefined if it was deleted. */
export async function genericIcon({ database }: Pick<BaseServices, 'database'>): Promise<Item | undefined> {
  const icon = await database.get(findIcon());
  if (icon === undefined) return undefined;
  const { id, uuid } = icon;
  return { target_id: id, target_type: 'file', target_uuid: uuid, url: filePath(GENERIC_ICON_URI) };
}

/**
 * Creates the file of the generic icon if it is missing. If its store is unavailable, the next start creates it: no
 * request depends on it.
 */
export async function createGenericIcon(
  services: BaseServices & Schemes & { readonly fileIds: FileIds },
  actor: Actor,
): Promise<void> {
  if (await genericIcon(services)) return;
  const store = storeForNew(services, schemeNamedBy(services, GENERIC_ICON_URI));
  try {
    await store.storage.check();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    services.warn(`cannot store the generic icon in ${store.name} yet`, error);
    return;
  }
  const ingested = await ingest(store, {
    body: Bun.file(iconFile).stream(),
    declaredBytes: undefined,
    digests: [],
    maxBytes: undefined,
    signal: new AbortController().signal,
  });
  const save = async () => {
    const id = await services.fileIds();
    const file = {
      id,
      uuid: Bun.randomUUIDv7(),
      uri: GENERIC_ICON_URI,
      filename: 'generic.png',
      filemime: 'image/png',
      ingested,
    };
    await services.database.write([insertFile(services, actor, file, true)]);
  };
  try {
    await keepIf(ingested, save);
  } catch (error) {
    // Another process has created it at the same time.
    if (failedUniqueness(error) !== 'file.uri') throw error;
  }
}
