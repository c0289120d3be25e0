import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import type { RecognizedPage } from '../../base/recognized-text/text-page.ts';
import { canvasMediaOf } from '../../iiif/presentation/choose-canvas-media.ts';
import { recognizedTextOf } from '../../iiif/presentation/media-uses.ts';
import { MAX_LINES, MAX_RECOGNIZED_BYTES, readRecognizedFile } from '../../iiif/presentation/read-recognized.ts';
import { annotationsId, canvasId } from '../../iiif/presentation/resource.ts';
import { canvasSize, filesToMeasure } from '../../iiif/presentation/sizes.ts';
import { textAnnotations } from '../../iiif/presentation/text-on-canvas.ts';
import { paths } from '../../paths.ts';
import { findShowableNodes, type ShowableFile } from '../../repository/content/lists/find-showable.ts';
import { measureFiles } from '../../repository/files/measure-files.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { describe } from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { canvasAnnotations } from './describe-manifests.ts';
import { presentationAnswer } from './presentation-answer.ts';

/** The route of the recognized text of a canvas, as annotations (Presentation API 3.0, 5.5). */
export const annotationRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodeCanvasAnnotations, async ({ call }) => answerAnnotations(call), {
    check: { resource: 'iiif.presentation', formats: 'single' },
    params: t.Object({ node: id('The id of the node.'), media: id('The id of the media that the canvas shows.') }),
    detail: describe(canvasAnnotations),
  });

async function answerAnnotations(call: Call): Promise<Response> {
  const { api, actor, baseUrl } = call;
  const node = await findOr404(call, 'node');
  call.allow(node.kind.access.view(actor, node.head));
  const [nodeId, mediaId] = [call.id('node'), call.id('media')];
  const [showable] = await findShowableNodes(api.services, actor, [nodeId]);
  const shown = showable && canvasMediaOf(showable);
  const text = showable && recognizedTextOf(showable.media);
  if (shown === undefined || shown.original.id !== mediaId || text === undefined)
    throw new ServiceError('not-found', `Node ${nodeId} has no canvas ${mediaId} with recognized text.`);
  const measured = await measureFiles(api.services, filesToMeasure([shown]));
  const size = canvasSize(shown, (file) => measured.get(file.id));
  if (size === undefined)
    throw new ServiceError('not-found', `Canvas ${mediaId} of node ${nodeId} has no area for text.`);
  const page = await readPage(call, text.file);
  const canvas = { id: canvasId(baseUrl, nodeId, mediaId), ...size };
  return presentationAnswer(call, textAnnotations(annotationsId(baseUrl, nodeId, mediaId), canvas, page), node);
}

/** Reads a file of recognized text. Throws 422 for one that is too large. */
async function readPage({ api }: Call, file: ShowableFile): Promise<RecognizedPage> {
  const max = `${MAX_RECOGNIZED_BYTES / 1024 / 1024} MB`;
  if (file.bytes > MAX_RECOGNIZED_BYTES)
    throw new ServiceError('unprocessable', `The recognized text is larger than ${max}. Download its file instead.`);
  const page = await readRecognizedFile(api.services, file);
  if (page === undefined)
    throw new ServiceError(
      'unprocessable',
      `The recognized text has more than ${MAX_LINES} lines, or too deep a structure. Download its file instead.`,
    );
  return page;
}
