import { sessionCookieName } from '../../auth/session-token.ts';
import type { ApiDocument } from './document.ts';

/**
 * The document as JSON text for callers of a base URL, which is in it, as is the name of the session's cookie. All
 * else is made once.
 */
export function createDocumentText({
  openapi,
  info,
  tags,
  paths,
  components,
}: ApiDocument): (baseUrl: string) => string {
  const head = JSON.stringify({ openapi, info }).slice(0, -1);
  const tail = `${JSON.stringify(components).slice(1)},${JSON.stringify({ tags, paths }).slice(1)}`;
  return (baseUrl) => {
    const servers = JSON.stringify([{ url: baseUrl }]);
    const schemes = JSON.stringify(securitySchemes(sessionCookieName(baseUrl)));
    return `${head},"servers":${servers},"components":{"securitySchemes":${schemes},${tail}`;
  };
}

function securitySchemes(cookie: string) {
  return {
    basic: { type: 'http', scheme: 'basic', description: 'Name and password.' },
    token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of `/jwt/token`.' },
    session: { type: 'apiKey', in: 'cookie', name: cookie, description: 'The session that `/user/login` begins.' },
    csrf: {
      type: 'apiKey',
      in: 'header',
      name: 'X-CSRF-Token',
      description: 'The token of `/session/token`, beside the cookie of a session.',
    },
  };
}
