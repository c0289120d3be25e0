import type { SourceAttribute } from '../../model/content-model.ts';
import type { MediaFacts } from '../../repository/media/media-facts.ts';
import type { Stage } from '../../representation/stage.ts';
import type { View } from '../view.ts';
import { NODE_FIELD, USE_FIELD } from './belonging.tsx';

/** The attributes of a file that its panel shows. */
const OF_FILE: readonly SourceAttribute[] = ['mimetype', 'filesize', 'width', 'height'];

/** Returns the fields of a media that its page shows elsewhere: beside its name, in the panel of its file, on the stage. */
export function fieldsWithoutRow(
  { content, source, sourceField }: View,
  { file }: MediaFacts,
  stage: Stage | undefined,
): ReadonlySet<string> {
  const filled = source.model.mediaTypes.get(content.bundle.name)?.autoFilled;
  const hidden = [NODE_FIELD, USE_FIELD];
  if (file !== undefined) hidden.push(sourceField?.name ?? '', 'field_original_name', ...fieldsOf(filled, OF_FILE));
  if (stage?.kind === 'text' && stage.isWhole) hidden.push(...fieldsOf(filled, ['content']));
  return new Set(hidden);
}

function fieldsOf(
  filled: ReadonlyMap<SourceAttribute, string> | undefined,
  attributes: readonly SourceAttribute[],
): string[] {
  return attributes.flatMap((attribute) => filled?.get(attribute) ?? []);
}
