import type { Log } from '../base/log.ts';
import { createRedirectToHttps } from '../http/redirect-to-https.ts';
import { createRequestLog } from '../http/request-log.ts';
import { type OpenPort, openPort } from './tls/open-port.ts';

export interface RedirectPortOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  /** As configured. */
  readonly baseUrl: string | undefined;
  /** The port that answers with TLS. */
  readonly tlsPort: number;
  /** How many processes open the port; undefined: this one alone. */
  readonly processes: number | undefined;
}

/** Opens a port of plain HTTP that sends everybody on to https. Throws ListenError. */
export function openRedirectPort({ host, port, log, baseUrl, tlsPort, processes }: RedirectPortOptions): OpenPort {
  const requestLog = createRequestLog(
    createRedirectToHttps({ baseUrl, port: tlsPort }),
    log.child({ part: 'redirect' }),
    () => {},
  );
  const answer = (request: Request, at: Bun.Server<unknown>) => requestLog.answer(request, at);
  return openPort({ host, port, answer, log, processes, option: '--redirect-port' });
}
