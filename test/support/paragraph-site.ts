import { createTestRepository, type EntityJson, type TestRepository } from './test-repository.ts';

/** A site that has paragraphs: of two types, in nodes, media, terms and each other. */
export const PARAGRAPH_MODEL = `node_types:
  report:
    label: Report
    new_revision: true
    fields:
      field_parts: { label: Parts, type: entity_reference_revisions, target_type: paragraph, cardinality: unlimited }
      field_notes: { label: Notes, type: entity_reference_revisions, target_type: paragraph, target_bundles: [note], cardinality: unlimited }
media_types:
  scan:
    label: Scan
    source: file
    source_field: field_bytes
    fields:
      field_bytes: { label: Bytes, type: file, required: true, file_extensions: [txt] }
      field_parts: { label: Parts, type: entity_reference_revisions, target_type: paragraph, cardinality: unlimited }
vocabularies:
  topic:
    label: Topic
    fields:
      field_parts: { label: Parts, type: entity_reference_revisions, target_type: paragraph, cardinality: unlimited }
paragraph_types:
  note:
    label: Note
    fields:
      field_text: { label: Text, type: string, required: true }
      field_about: { label: About, type: entity_reference, target_type: node }
      field_subject: { label: Subject, type: entity_reference, target_type: taxonomy_term }
      field_paper: { label: Paper, type: file, file_extensions: [txt], uri_scheme: private }
      field_parts: { label: Parts, type: entity_reference_revisions, target_type: paragraph, cardinality: unlimited }
  chapter:
    label: Chapter
    new_revision: true
    fields:
      field_text: { label: Text, type: string }
      field_scan: { label: Scan, type: entity_reference, target_type: media }
      field_parts: { label: Parts, type: entity_reference_revisions, target_type: paragraph, cardinality: unlimited }
roles:
  writer:
    label: Writer
    permissions: [access content, edit any report content, create paragraph content note, update paragraph content note]
  remover:
    label: Remover
    permissions: [access content, edit any report content, delete paragraph content note]
  keeper:
    label: Keeper
    permissions: [access content, edit any report content, bypass paragraphs type content access]
  reader:
    label: Reader
    permissions: [access content, bypass paragraphs type content access]
  reporter:
    label: Reporter
    permissions: [access content, create report content, edit any report content, create paragraph content note]
`;

/** A repository with that model, and what its tests do with it. */
export interface ParagraphSite {
  readonly repository: TestRepository;
  /** Creates a paragraph and returns the response. */
  paragraph(body?: object, as?: string): Promise<EntityJson>;
  /** Creates a report that has these paragraphs in `field_parts`. */
  report(parts: readonly object[], as?: string): Promise<EntityJson>;
  read(path: string, as?: string): Promise<EntityJson>;
  status(path: string, as?: string): Promise<number>;
  stop(): Promise<void>;
}

/** A reference to a paragraph as the API answered it, with its revision. */
export const refer = ({ id, revision_id }: EntityJson) => ({
  target_id: id[0].value as number,
  target_revision_id: revision_id[0].value as number,
});

export const pathOf = ({ id }: EntityJson) => `/entity/paragraph/${id[0].value}`;

export async function createParagraphSite(): Promise<ParagraphSite> {
  const repository = await createTestRepository({}, { model: PARAGRAPH_MODEL });
  const { make } = repository.build;
  return {
    repository,
    paragraph: (body = {}, as) =>
      make('/entity/paragraph', { type: [{ target_id: 'note' }], field_text: ['Words'], ...body }, as),
    report: (parts, as) => make('/node', { type: 'report', title: ['A report'], field_parts: parts }, as),
    // Of a missing one it is the message.
    read: async (path, as = 'admin') => (await (await repository.get(`${path}?_format=json`, as)).json()) as EntityJson,
    status: async (path, as) => (await repository.get(`${path}?_format=json`, as)).status,
    stop: () => repository.stop(),
  };
}
