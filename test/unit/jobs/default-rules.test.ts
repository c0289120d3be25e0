import { describe, expect, it } from 'bun:test';
import { resolve } from 'node:path';
import { extensionOf } from '../../../src/base/media-type.ts';
import { readYamlFile } from '../../../src/base/yaml-file.ts';
import { defaultRulesFile, loadDerivativeRules } from '../../../src/jobs/load-rules.ts';
import { parseProcessorConfig } from '../../../src/processor/config/config.ts';
import { chooseCommand } from '../../../src/processor/match-command.ts';
import { loadTestModel } from '../../support/content-model.ts';

const CONFIG = resolve(import.meta.dir, '../../../config');
const { mediaTypes } = await loadTestModel();
const rules = await loadDerivativeRules(
  { derivatives: { rulesFile: undefined }, schemes: [{ name: 'public' }, { name: 'private' }] },
  { mediaTypes },
);

const actionNamed = (name: string) => {
  const action = rules.actions.get(name);
  if (action === undefined) throw new Error(`no action ${name}`);
  return action;
};

describe('the default derivative rules', () => {
  it('have the documented actions: type, arguments, media type and use', () => {
    const summary = Array.from(rules.actions.values(), ({ name, mimeType, args, mediaType, derivativeTerm }) => [
      ...[name, mimeType, args, mediaType, derivativeTerm],
    ]);
    const use = 'http://pcdm.org/use#';
    const atMost400 = '-vf scale=400:400:force_original_aspect_ratio=decrease';
    expect(summary).toEqual([
      [
        ...['image_generate_a_service_file_from_an_original_file', 'image/jpeg', '-resize 2400x2400'],
        ...['image', `${use}ServiceFile`],
      ],
      [
        ...['image_generate_a_thumbnail_from_an_original_file', 'image/jpeg', '-thumbnail 220x220'],
        ...['image', `${use}ThumbnailImage`],
      ],
      [
        ...['image_generate_tiles_from_an_original_file', 'application/zip', '', 'file'],
        'http://iiif.io/api/image/3/ImageService',
      ],
      [
        ...['audio_generate_a_service_file_from_an_original_file', 'audio/mpeg', '-codec:a libmp3lame -q:a 5'],
        ...['audio', `${use}ServiceFile`],
      ],
      ['video_generate_a_service_file_from_an_original_file', 'video/mp4', '', 'video', `${use}ServiceFile`],
      [
        ...['video_generate_a_thumbnail_from_an_original_file', 'image/jpeg'],
        ...[`-ss 00:00:01.000 -frames 1 ${atMost400}`, 'image', `${use}ThumbnailImage`],
      ],
      [
        ...['video_generate_a_thumbnail_at_0_00_03', 'image/jpeg', `-ss 00:00:03.000 -frames 1 ${atMost400}`],
        ...['image', `${use}ThumbnailImage`],
      ],
      [
        ...['digital_document_generate_a_thumbnail_from_an_original_file', 'image/png', '-thumbnail 400x400'],
        ...['image', `${use}ThumbnailImage`],
      ],
      [
        ...['office_document_generate_a_service_file_from_an_original_file', 'application/pdf', ''],
        ...['document', `${use}ServiceFile`],
      ],
      [
        ...['office_document_generate_extracted_text_from_an_original_file', 'text/plain', ''],
        ...['extracted_text', `${use}ExtractedText`],
      ],
      ['get_ocr_from_image', 'text/plain', '', 'extracted_text', `${use}ExtractedText`],
      [
        ...['get_hocr_from_image', 'text/vnd.hocr+html', '-c tessedit_create_hocr=1 -c hocr_font_info=0'],
        ...['file', 'https://discoverygarden.ca/use#hocr'],
      ],
      [
        ...['generate_a_technical_metadata_derivative', 'application/xml', ''],
        ...['fits_technical_metadata', 'https://projects.iq.harvard.edu/fits'],
      ],
      ['paged_content_created_aggregated_pdf', 'application/pdf', '', 'document', `${use}OriginalFile`],
    ]);
  });

  it('use the original file and the public scheme, except for the aggregated PDF', () => {
    const actions = [...rules.actions.values()];
    expect(new Set(actions.map(({ sourceTerm }) => sourceTerm))).toEqual(new Set(['http://pcdm.org/use#OriginalFile']));
    expect(actions.filter(({ scheme }) => scheme !== 'public').map(({ name }) => name)).toEqual([
      'paged_content_created_aggregated_pdf',
    ]);
  });

  it('make a PDF of the pages of a book or an issue', () => {
    expect(actionNamed('paged_content_created_aggregated_pdf')).toMatchObject({
      scheme: 'private',
      path: 'derivatives/[date:custom:Y]/[date:custom:m]/pc/[node:nid].pdf',
      timeoutSeconds: 14_400,
      ofMembers: { parentTerms: ['https://schema.org/Book', 'https://schema.org/PublicationIssue'], settleSeconds: 60 },
    });
    expect([...rules.actions.values()].filter(({ ofMembers }) => ofMembers !== undefined)).toHaveLength(1);
  });

  it('have the documented contexts, each with its actions', () => {
    expect(Object.fromEntries(rules.contexts.map(({ name, actions }) => [name, actions]))).toEqual({
      audio_original_file: ['audio_generate_a_service_file_from_an_original_file'],
      image_original_file: [
        'image_generate_a_service_file_from_an_original_file',
        'image_generate_a_thumbnail_from_an_original_file',
      ],
      image_tiles: ['image_generate_tiles_from_an_original_file'],
      pages: [
        'get_hocr_from_image',
        'get_ocr_from_image',
        'image_generate_a_service_file_from_an_original_file',
        'image_generate_a_thumbnail_from_an_original_file',
        'paged_content_created_aggregated_pdf',
      ],
      office_document_original_file: [
        'office_document_generate_a_service_file_from_an_original_file',
        'office_document_generate_extracted_text_from_an_original_file',
      ],
      pdf_original_file: ['digital_document_generate_a_thumbnail_from_an_original_file', 'get_ocr_from_image'],
      technical_metadata_on_ingest: ['generate_a_technical_metadata_derivative'],
      video_original_file: [
        'video_generate_a_service_file_from_an_original_file',
        'video_generate_a_thumbnail_from_an_original_file',
      ],
    });
    expect(rules.contexts.every(({ isEnabled }) => isEnabled)).toBe(true);
    expect(rules.contexts.filter(({ requiresAll }) => !requiresAll).map(({ name }) => name)).toEqual([
      'technical_metadata_on_ingest',
    ]);
  });

  it('recognise text in PDF and in every image type that gets derivatives', () => {
    const images = actionNamed('image_generate_a_service_file_from_an_original_file').sourceMimeTypes;
    expect(images.length).toBeGreaterThan(8);
    expect(actionNamed('get_ocr_from_image').sourceMimeTypes).toEqual(['application/pdf', ...images]);
    expect(actionNamed('get_hocr_from_image').sourceMimeTypes).toEqual(images);
    expect(images).not.toContain('image/svg+xml');
  });

  it('create text, a PDF and a picture of office documents', () => {
    const { sourceMimeTypes } = actionNamed('office_document_generate_a_service_file_from_an_original_file');
    expect(sourceMimeTypes.map((type) => extensionOf(type))).toEqual(['docx', 'pptx', 'odt']);
    const text = actionNamed('office_document_generate_extracted_text_from_an_original_file');
    expect(text.sourceMimeTypes).toEqual(sourceMimeTypes);
    const picture = actionNamed('digital_document_generate_a_thumbnail_from_an_original_file');
    expect(picture.sourceMimeTypes).toEqual(['application/pdf', ...sourceMimeTypes]);
  });

  it('request only commands of the default processor, with enough time', async () => {
    const source = await readYamlFile(`${CONFIG}/processor.yaml`, () => undefined);
    const config = parseProcessorConfig(source, (name) => name);
    for (const { ofMembers, sourceMimeTypes, mimeType, timeoutSeconds } of rules.actions.values()) {
      if (ofMembers !== undefined) continue;
      for (const pattern of sourceMimeTypes) {
        const sourceType = pattern === '*' ? 'application/octet-stream' : pattern.replace('*', 'x-any');
        const command = chooseCommand(config, sourceType, mimeType);
        expect(timeoutSeconds).toBeGreaterThanOrEqual(command.timeoutSeconds);
      }
    }
  });

  it('leave enough time to recognise text on 1,000 pages, or 300 of a TIFF', async () => {
    const source = await readYamlFile(`${CONFIG}/processor.yaml`, () => undefined);
    const config = parseProcessorConfig(source, (name) => name);
    const secondsFor = (type: string) => chooseCommand(config, type, 'text/plain').timeoutSeconds;
    const secondsOfPage = 10;
    expect(secondsFor('application/pdf') / secondsOfPage).toBeGreaterThan(1000);
    expect(actionNamed('get_ocr_from_image').timeoutSeconds / secondsOfPage).toBeGreaterThan(1000);
    expect(secondsFor('image/tiff') / secondsOfPage).toBeGreaterThan(300);
  });

  it('are the same for the fast parser and the one with positions', async () => {
    const { value } = await readYamlFile(`${CONFIG}/derivatives.yaml`, () => undefined);
    expect(defaultRulesFile().value).toEqual(value);
  });

  it('document every setting of an action and a context', async () => {
    const text = await Bun.file(`${CONFIG}/derivatives.yaml`).text();
    for (const key of ['processor', 'timeout', 'scheme', 'args', 'enabled', 'require_all', 'types', 'mimetypes'])
      expect(text).toMatch(new RegExp(`\\b${key}\\b`));
  });
});
