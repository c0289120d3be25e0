import { usualType } from '../../base/usual-type.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import type { ContentModel, Item, SourceAttribute } from '../../model/content-model.ts';
import type { ParsedContent } from '../../repository/content/content.ts';
import type { ShowableMedia } from '../../repository/content/lists/find-showable.ts';
import type { SourceFile } from '../../repository/content/read/surroundings.ts';
import { chooseStage } from './choose-stage.ts';
import type { Stage, StageFile } from './stage.ts';

/** Maximum length of a text in a stage: a page has at most 30 KB. */
export const MAX_TEXT_CHARACTERS = 12_000;

interface StageSource {
  readonly model: ContentModel;
  readonly fieldTypes: FieldTypes;
}

/** Returns what the stage of a media's page shows. `file` is undefined if the caller may not read it. */
export function mediaStage(
  { members, bundle, kind, head }: ParsedContent,
  file: SourceFile | undefined,
  { model, fieldTypes }: StageSource,
): Stage | undefined {
  const type = model.mediaTypes.get(bundle.name);
  if (file === undefined || type === undefined) return undefined;
  const source: Item = members[type.sourceField.name]?.[0] ?? {};
  const filled = (from: SourceAttribute) => members[type.autoFilled.get(from) ?? '']?.[0]?.value;
  const label = String(members[kind.labelMember ?? '']?.[0]?.value ?? '');
  const media: ShowableMedia = {
    ...{ id: head.id, uuid: String(members.uuid?.[0]?.value), bundle: bundle.name, label },
    uses: [],
    tracks: bundle.fields.flatMap((field) => (fieldTypes.of(field).isTrack ? (members[field.name] ?? []) : [])),
    file: {
      ...{ id: file.id, uri: file.uri, mimeType: usualType(file.filemime), bytes: positive(filled('filesize')) ?? 0 },
      width: positive(filled('width') ?? source.width) ?? null,
      height: positive(filled('height') ?? source.height) ?? null,
      ...{ storageKey: '', storedIn: null },
    },
  };
  const stage = chooseStage({ id: 0, label, language: undefined, media: [media] }, new Set());
  const text = filled('content');
  if (stage?.kind === 'other' && typeof text === 'string' && text !== '') return textStage(stage.file, text);
  const alt = typeof source.alt === 'string' && source.alt !== '' ? source.alt : undefined;
  return stage?.kind === 'image' ? { ...stage, alt } : stage;
}

/** Returns the stage of a text, cut at the end of a line. */
function textStage(file: StageFile, text: string): Stage {
  if (text.length <= MAX_TEXT_CHARACTERS) return { kind: 'text', file, text, isWhole: true };
  const beginning = text.slice(0, MAX_TEXT_CHARACTERS).replace(/\n[^\n]*$/, '');
  return { kind: 'text', file, text: beginning.toWellFormed(), isWhole: false };
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
