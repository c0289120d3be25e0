import { type ListenOptions, listen } from '../listen.ts';

/**
 * Opens a port for this process alone and closes it again: workers, who share it, would not notice another program
 * that shares it as well. Answers its number, which the system chooses for 0. Throws ListenError.
 */
export async function claimPort(options: Omit<ListenOptions, 'answer' | 'isShared'>): Promise<number> {
  const server = listen({ ...options, answer: async () => new Response('Starting\n', { status: 503 }) });
  const port = server.port as number;
  await server.stop(true);
  return port;
}
