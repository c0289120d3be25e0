import { Type as t } from '@sinclair/typebox';
import { ServiceError, unprocessable } from '../../base/errors.ts';
import { baseName, hasControls } from '../../http/content-disposition.ts';
import { type FilePart, isFile } from '../../http/read-multipart.ts';
import { recordOf } from '../../http/request-log.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { entityPath, paths } from '../../paths.ts';
import { saveFormFile } from '../../repository/uploads/save-upload.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { AttachBody } from '../../web/attach-body.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { formParts } from '../../web/form-parts.ts';
import { PAGE_FORMATS, parametersOf } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { readTarget } from '../../web/read-target.ts';
import { findUploadPlace, gatherUploadPage, type UploadPlace } from './gather-upload-page.ts';
import { UPLOAD_CHOICES, type UploadEntries } from './upload-data.ts';
import { uploadPage } from './upload-page.tsx';

/** Routes of the pages that add files to a node, and replace the file of a media or add captions. */
export const uploadPageRoutes = (api: ApiServices) => {
  const app = resource(api);
  for (const [of, path] of [
    ['node', paths.nodeUpload],
    ['media', paths.mediaUpload],
  ] as const) {
    const params = t.Object({ [of]: id(`The id of the ${of}.`) });
    app
      .get(path, async ({ call }) => formAnswer(await show(call, of)), {
        check: { formats: PAGE_FORMATS },
        params,
      })
      .post(path, async ({ call }) => receiveForm(call, of), {
        check: { form: 'files', formats: PAGE_FORMATS, authentication: ['cookie'] },
        parse: 'none',
        params,
      });
  }
  return app;
};

async function show(call: Call, of: 'node' | 'media') {
  const place = await findUploadPlace(call, of);
  return uploadPage(await gatherUploadPage(call, place, { entries: await entriesInAddress(call, place) }), call.site);
}

/** The uses that links to the page name. */
const LINKED_USES = ['transcript', 'thumbnail'] as const;

/** Returns the choice and the use that a link to the page names. */
async function entriesInAddress(call: Call, { choices }: UploadPlace): Promise<Partial<UploadEntries>> {
  const query = parametersOf(call.request.url);
  const choice = choices.find((each) => each === query.get('choice'));
  const { terms } = call.api.services.derivatives;
  const named = LINKED_USES.find((each) => each === query.get('use'));
  const use = named && (await terms.first(MEDIA_USE_URI[named]));
  return { ...(choice && { choice }), ...(use && { use: String(use.id) }) };
}

/** Stores the file of a form. Its other fields precede the file. An invalid form is shown again. */
async function receiveForm(call: Call, of: 'node' | 'media'): Promise<Response> {
  const place = await findUploadPlace(call, of);
  const fields = new Map<string, string>();
  try {
    recordOf(call.request).allowSilence();
    for await (const part of formParts(call)) {
      if (!isFile(part)) fields.set(part.name, part.value);
      else return await store(call, place, fields, part);
    }
    throw unprocessable('Choose a file.');
  } catch (error) {
    if (!(error instanceof ServiceError) || !['unprocessable', 'too-large', 'conflict'].includes(error.kind))
      throw error;
    const page = await gatherUploadPage(call, place, { entries: entriesOf(fields), problem: error.publicMessage });
    return formAnswer(uploadPage(page, call.site), 422);
  }
}

async function store(
  call: Call,
  place: UploadPlace,
  fields: ReadonlyMap<string, string>,
  part: FilePart,
): Promise<Response> {
  const { api, actor, request } = call;
  const filename = baseName(part.fileName).normalize('NFC');
  if (filename === '' || hasControls(filename)) throw unprocessable('Choose a file.');
  const target = await readTarget(call, filename, bodyOf(place, fields));
  const { nodeId, mediaId, sha256 } = await saveFormFile(api, actor, target, {
    filename,
    filemime: part.type || 'application/octet-stream',
    upload: {
      body: part.bytes,
      maxBytes: api.maxUploadBytes,
      minRate: api.minUploadRate,
      signal: request.signal,
    },
  });
  const { id: own } = place.content.head;
  const path = nodeId !== undefined ? entityPath.node(nodeId) : entityPath[place.of](own);
  const verb = target.as === 'source' ? 'Replaced the file of media' : `Added ${filename} as media`;
  return seeOther(call, path, [`${verb} ${mediaId}. SHA-256: ${sha256}`, ...call.notices].join(' '));
}

/** Returns what a form asks for in the words of `attach`. */
function bodyOf({ of, content, choices }: UploadPlace, fields: ReadonlyMap<string, string>): AttachBody {
  const { choice = choices[0], use, language, label, published, model, collection, rights } = entriesOf(fields);
  const { id: own } = content.head;
  if (choice === undefined || !choices.includes(choice)) throw unprocessable('Choose what the file becomes.');
  const media_use = use !== undefined && /^\d{1,15}$/.test(use) ? { media_use: Number(use) } : {};
  if (of === 'media')
    return choice === 'track'
      ? { track_of: own, ...(language && { language }), ...(label && { label }) }
      : { media: own };
  const modelId = idIn(model);
  if (choice === 'files') return { node: own, ...media_use };
  return {
    ...{ member_of: choice === 'items' ? (idIn(collection) ?? own) : own, ...media_use },
    ...(modelId !== undefined && { model: modelId }),
    ...((published === '0' || published === '1') && { published: published === '1' }),
    ...(rights && { rights }),
  };
}

const idIn = (text: string | undefined) => (text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined);

const TEXTS = ['use', 'title', 'language', 'label', 'published', 'model', 'collection', 'rights'] as const;
const MAX_RIGHTS = 10_000;

function entriesOf(fields: ReadonlyMap<string, string>): Partial<UploadEntries> {
  const choice = UPLOAD_CHOICES.find((each) => each === fields.get('choice'));
  const texts = TEXTS.flatMap((name) => {
    const value = fields.get(name)?.trim();
    return value === undefined ? [] : [[name, value.slice(0, name === 'rights' ? MAX_RIGHTS : 255)] as const];
  });
  return { ...Object.fromEntries(texts), ...(choice && { choice }) };
}
