import { callProcessor, type ProcessorAnswer, type ProcessorCall } from '../../src/jobs/call-processor.ts';
import { sendOverNetwork } from '../../src/jobs/create-executors.ts';

/** Calls a processor over the network for a JPEG, or what `changes` say. */
export function call(address: string, changes: Partial<ProcessorCall> = {}): Promise<ProcessorAnswer> {
  return callProcessor(sendOverNetwork, {
    address,
    sourceUrl: 'http://repository.example/sites/default/files/1.tif',
    mimeType: 'image/jpeg',
    args: '',
    event: '{"id":"urn:uuid:1"}',
    token: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    timeoutSeconds: 5,
    signal: new AbortController().signal,
    ...changes,
  });
}

export async function readAll({ body }: Pick<ProcessorAnswer, 'body'>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
