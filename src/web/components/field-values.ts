import type { ComponentChild } from 'preact';
import type { FieldDefinition, FieldTypeName, Item } from '../../model/content-model.ts';
import type { View } from '../view.ts';
import { showBoolean, showEdtf, showMoment, showNumber, showPoint } from './plain-values.tsx';
import { showFile, showImage, showLink, showReference, showRelation, showTrack } from './reference-values.tsx';
import type { ShowItem } from './show-item.ts';
import {
  showAlias,
  showAttributed,
  showChoice,
  showEmail,
  showFormatted,
  showLines,
  showParts,
  showText,
} from './text-values.tsx';

const SHOW: Readonly<Record<FieldTypeName, ShowItem>> = {
  string: showText,
  string_long: showLines,
  text: showFormatted,
  text_long: showFormatted,
  text_with_summary: showFormatted,
  list_string: showChoice,
  boolean: showBoolean,
  integer: showNumber,
  decimal: showNumber,
  float: showNumber,
  edtf: showEdtf,
  entity_reference: showReference,
  typed_relation: showRelation,
  file: showFile,
  image: showImage,
  media_track: showTrack,
  link: showLink,
  authority_link: showLink,
  geolocation: showPoint,
  // Whether something may be commented on is no statement about it.
  comment: () => undefined,
  created: showMoment,
  changed: showMoment,
  timestamp: showMoment,
  language: showText,
  uuid: showText,
  uri: showText,
  path: showAlias,
  email: showEmail,
  textfield_attr: showAttributed,
  textarea_attr: showAttributed,
  related_item: showParts,
  part_detail: showParts,
  hierarchical_geographic: showParts,
  config_reference: showReference,
  entity_reference_revisions: showReference,
};

/** A field that has something to show. */
export interface ShownField {
  readonly name: string;
  readonly label: string;
  readonly values: readonly ComponentChild[];
}

/** The fields of a page that have something to show to its caller, in the order of the document. */
export function shownFields(view: View): ShownField[] {
  return Object.entries(view.members).flatMap(([name, items]): ShownField[] => {
    const definition = definitionOf(name, view);
    if (definition === undefined) return [];
    const show = (item: Item) => SHOW[definition.type](item, definition, view);
    const values = items.map(show).filter((value) => value !== undefined && value !== '');
    return values.length > 0 ? [{ name, label: definition.label, values }] : [];
  });
}

/** Configured fields, and of terms what describes them. All other base fields are the repository's own affairs. */
function definitionOf(name: string, { content: { kind, bundle } }: View): FieldDefinition | undefined {
  const configured = bundle.fieldNamed.get(name);
  if (configured !== undefined || kind.type !== 'taxonomy_term') return configured;
  const base = kind.baseFieldNamed.get(name)?.definition;
  if (name === 'description') return base;
  return name === 'parent' && base ? { ...base, label: 'Broader term' } : undefined;
}
