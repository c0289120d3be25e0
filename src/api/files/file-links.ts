import type { Link } from '../../http/link-header.ts';
import { filePath } from '../../paths.ts';
import type { FileEntity } from '../../repository/files/find-file.ts';
import { type CoreLinkReader, coreLinks } from '../../representation/core-links.ts';

/** The links of a file's record: the core one, and ours to its bytes and its graph. */
export function fileLinks({ row }: Pick<FileEntity, 'row'>, reader: CoreLinkReader, areOursOn: boolean): Link[] {
  const { baseUrl } = reader;
  const core = coreLinks({ type: 'file', id: row.id }, reader);
  if (!areOursOn) return core;
  return [
    ...core,
    { href: baseUrl + filePath(row.uri), rel: 'item', type: row.filemime },
    { href: `${baseUrl}/entity/file/${row.id}?_format=jsonld`, rel: 'describedby', type: 'application/ld+json' },
  ];
}
