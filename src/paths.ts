/** Every address that the program answers, once. */
export const paths = {
  /** GET and POST: a file through a command (spec: processor, "Endpoints"). */
  process: '/',
  healthcheck: '/healthcheck',
  metrics: '/metrics',
} as const;
