import { dateItem } from '../field-types/moment.tsx';
import type { Item } from '../model/content-model.ts';
import { entityPath, filePath } from '../paths.ts';
import type { FileEntity } from '../repository/files/find-file.ts';

/** Returns the metadata of a file as JSON text (spec: repository, "File"; rest-behaviour, 3.1). */
export function fileJson({ row, ownerUuid }: FileEntity): string {
  const time = (seconds: number) => [dateItem(seconds)];
  return JSON.stringify({
    fid: [{ value: row.id }],
    uuid: [{ value: row.uuid }],
    langcode: [{ value: row.langcode }],
    uid: [{ target_id: row.ownerId, target_type: 'user', target_uuid: ownerUuid, url: entityPath.user(row.ownerId) }],
    filename: [{ value: row.filename }],
    uri: [{ value: row.uri, url: filePath(row.uri) }],
    filemime: [{ value: row.filemime }],
    filesize: [{ value: row.filesize }],
    status: [{ value: row.status }],
    created: time(row.created),
    changed: time(row.changed),
  });
}

/** Returns references to files with absolute addresses instead of root-relative ones (spec: rest-behaviour, 3.2). */
export function withFileAddresses(items: readonly Item[], baseUrl: string): Item[] {
  return items.map((item) => (typeof item.url === 'string' ? { ...item, url: `${baseUrl}${item.url}` } : item));
}
