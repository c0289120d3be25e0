/** When a refused browser is offered a pass for some work. The first one is the default. */
export const CHALLENGE_MODES = ['under-load', 'never', 'always'] as const;
export type ChallengeMode = (typeof CHALLENGE_MODES)[number];
