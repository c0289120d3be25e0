import { describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDerivativeRules } from '../../../src/jobs/load-rules.ts';
import { loadTestModel } from '../../support/content-model.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { parseUserRules } from './parse-user-rules.ts';

const THUMBNAIL = 'image_generate_a_thumbnail_from_an_original_file';
const folder = await emptyFolder();

const NEW_ACTION = `
actions:
  summary:
    label: Summary
    source_term: http://pcdm.org/use#OriginalFile
    derivative_term: https://example.org/use#Summary
    source_mimetypes: [TEXT/*, application/pdf]
    mimetype: Text/Plain
    destination_media_type: extracted_text
    path: "[date:custom:d]/[node:nid].TXT"
`;

describe('a file of derivative rules', () => {
  it('changes nothing if it is empty', () => {
    const { actions, contexts } = parseUserRules('');
    expect({ actions: actions.size, contexts: contexts.length }).toEqual({ actions: 14, contexts: 8 });
  });

  it('adds an action with defaults for missing settings', () => {
    const { actions } = parseUserRules(NEW_ACTION);
    expect(actions.size).toBe(15);
    expect(actions.get('summary')).toEqual({
      name: 'summary',
      label: 'Summary',
      sourceTerm: 'http://pcdm.org/use#OriginalFile',
      derivativeTerm: 'https://example.org/use#Summary',
      sourceMimeTypes: ['text/*', 'application/pdf'],
      mimeType: 'text/plain',
      args: '',
      mediaType: 'extracted_text',
      scheme: 'public',
      path: '[date:custom:d]/[node:nid].TXT',
      processor: undefined,
      timeoutSeconds: 3600,
      maxBytes: undefined,
      ofMembers: undefined,
    });
  });

  it('changes only the given members of an existing action', () => {
    const before = parseUserRules('').actions.get(THUMBNAIL);
    const after = parseUserRules(`actions: { ${THUMBNAIL}: { args: -thumbnail 400x400, timeout: 30 } }`);
    expect(after.actions.get(THUMBNAIL)).toEqual({
      ...(before as NonNullable<typeof before>),
      args: '-thumbnail 400x400',
      timeoutSeconds: 30,
    });
  });

  it.each([
    ['embedded', 'embedded'],
    ['http://one:8080', ['http://one:8080/']],
    ['[http://one:8080/convert, "https://two/?a=b"]', ['http://one:8080/convert', 'https://two/?a=b']],
  ])('accepts %s as a processor', (text, expected) => {
    const { actions } = parseUserRules(`actions: { ${THUMBNAIL}: { processor: ${text} } }`);
    expect(actions.get(THUMBNAIL)?.processor).toEqual(expected as 'embedded' | string[]);
  });

  it('changes the settle time of members, and keeps the parent terms', () => {
    const { actions } = parseUserRules(
      'actions: { paged_content_created_aggregated_pdf: { of_members: { settle: 3 } } }',
    );
    expect(actions.get('paged_content_created_aggregated_pdf')?.ofMembers).toEqual({
      parentTerms: ['https://schema.org/Book', 'https://schema.org/PublicationIssue'],
      settleSeconds: 3,
    });
  });

  it('restores a default with null', () => {
    const { actions } = parseUserRules('actions: { paged_content_created_aggregated_pdf: { timeout: null } }');
    expect(actions.get('paged_content_created_aggregated_pdf')?.timeoutSeconds).toBe(3600);
  });

  it('adds a context with conditions of every kind', () => {
    const { contexts } = parseUserRules(`
contexts:
  all_kinds:
    label: All kinds
    conditions:
      - { condition: media_has_term, uri: "http://example.org/a" }
      - { condition: parent_node_has_term, uri: ["http://example.org/a", "urn:b"], logic: or }
      - { condition: media_has_type, types: image }
      - { condition: media_has_mimetype, mimetypes: [IMAGE/*, application/pdf] }
      - { condition: media_has_mimetype, mimetypes: [image/png, image/*], logic: and }
    actions: [${THUMBNAIL}]
`);
    expect(contexts).toHaveLength(9);
    expect(contexts[8]).toEqual({
      name: 'all_kinds',
      label: 'All kinds',
      isEnabled: true,
      requiresAll: true,
      conditions: [
        { condition: 'media_has_term', values: ['http://example.org/a'], logic: 'and' },
        { condition: 'parent_node_has_term', values: ['http://example.org/a', 'urn:b'], logic: 'or' },
        { condition: 'media_has_type', values: ['image'], logic: 'or' },
        { condition: 'media_has_mimetype', values: ['image/*', 'application/pdf'], logic: 'or' },
        { condition: 'media_has_mimetype', values: ['image/png', 'image/*'], logic: 'and' },
      ],
      actions: [THUMBNAIL],
    });
  });

  it('disables a context, and replaces a whole list of actions', () => {
    const { contexts } = parseUserRules(`
contexts:
  pages: { enabled: false }
  video_original_file: { actions: [video_generate_a_thumbnail_at_0_00_03] }
`);
    const named = new Map(contexts.map((context) => [context.name, context]));
    expect(named.get('pages')).toMatchObject({ isEnabled: false, label: 'Page Derivatives' });
    expect(named.get('video_original_file')?.actions).toEqual(['video_generate_a_thumbnail_at_0_00_03']);
  });

  it('removes a context and an action that only this context names', () => {
    const { actions, contexts } = parseUserRules(`
actions: { generate_a_technical_metadata_derivative: null }
contexts: { technical_metadata_on_ingest: null }
`);
    expect({ actions: actions.size, contexts: contexts.length }).toEqual({ actions: 13, contexts: 7 });
    expect(actions.has('generate_a_technical_metadata_derivative')).toBe(false);
  });

  it('drops built-in actions that the content model does not support', () => {
    const noFits = parseUserRules('', 'media_types: { fits_technical_metadata: null }');
    expect({ actions: noFits.actions.size, contexts: noFits.contexts.length }).toEqual({ actions: 13, contexts: 8 });
    expect(noFits.contexts.find(({ name }) => name === 'technical_metadata_on_ingest')?.actions).toEqual([]);
    const noMp3 = parseUserRules(
      '',
      'media_types: { audio: { fields: { field_media_audio_file: { file_extensions: [wav] } } } }',
    );
    expect(noMp3.actions.has('audio_generate_a_service_file_from_an_original_file')).toBe(false);
  });

  it('is read from disk', async () => {
    const file = join(folder, 'rules.yaml');
    await writeFile(file, NEW_ACTION);
    const { mediaTypes } = await loadTestModel();
    const { actions } = await loadDerivativeRules(
      { derivatives: { rulesFile: file }, schemes: [{ name: 'public' }, { name: 'private' }] },
      { mediaTypes },
    );
    expect(actions.size).toBe(15);
  });

  it('is named in the error if it is missing', async () => {
    const file = join(folder, 'nowhere.yaml');
    await expect(
      loadDerivativeRules({ derivatives: { rulesFile: file }, schemes: [] }, { mediaTypes: new Map() }),
    ).rejects.toThrow(`${file}: no such file`);
  });
});
