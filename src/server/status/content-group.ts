import { countInWords } from '../../base/in-words.ts';
import { countContent } from '../../repository/content/lists/count-content.ts';
import type { StatusGroup } from '../../web/status-report.ts';
import { fine } from './status-line.ts';
import type { StatusParts } from './status-parts.ts';

/** Returns the amounts of content, with those of the content model. */
export async function contentGroup({ services: { database, model } }: StatusParts): Promise<StatusGroup> {
  const { nodes, media, terms, paragraphs, users } = await countContent(database);
  const line = (label: string, count: number, noun: string, types: number, kind: string, kinds = `${kind}s`) =>
    fine(label, `${countInWords(count, noun)} of ${countInWords(types, kind, kinds)}`);
  return {
    title: 'Content',
    lines: [
      line('Items', nodes, 'item', model.nodeTypes.size, 'content type'),
      fine('Media', `${countInWords(media, 'media', 'media')} of ${countInWords(model.mediaTypes.size, 'media type')}`),
      line('Terms', terms, 'term', model.vocabularies.size, 'vocabulary', 'vocabularies'),
      ...(model.paragraphTypes.size === 0
        ? []
        : [line('Paragraphs', paragraphs, 'paragraph', model.paragraphTypes.size, 'paragraph type')]),
      // The anonymous user has a row.
      fine('Users', `${countInWords(users - 1, 'user')} with ${countInWords(model.roles.size, 'role')}`),
    ],
  };
}
