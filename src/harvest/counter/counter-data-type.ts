import type { ContentModel } from '../../model/content-model.ts';
import type { CitationKind } from '../../model/item-models.ts';

/** The types of content in COUNTER's platform and item reports (release 5.1, 3.3.2) that models lead to. */
export const COUNTER_DATA_TYPES = [
  'Article',
  'Audiovisual',
  'Dataset',
  'Image',
  'Other',
  'Software',
  'Sound',
  'Unspecified',
] as const;
export type CounterDataType = (typeof COUNTER_DATA_TYPES)[number];

/** Kinds of works with a type of their own. An item report has no type for whole books and newspapers. */
const TYPES: Readonly<Partial<Record<CitationKind, CounterDataType>>> = {
  ...{ article: 'Article', software: 'Software', dataset: 'Dataset', audio: 'Sound', video: 'Audiovisual' },
  ...{ image: 'Image', photograph: 'Image', drawing: 'Image', print: 'Image' },
  ...{ map: 'Image', globe: 'Image', cartographic: 'Image' },
};

/** Returns the type of an item with the URI of its model. */
export function counterDataType(
  { models }: Pick<ContentModel, 'models'>,
  uri: string | null | undefined,
): CounterDataType {
  const kind = models.of(uri).citation;
  return kind === undefined ? 'Unspecified' : (TYPES[kind] ?? 'Other');
}
