/** The commands of Tacho in a shell, from the folder of the clone, as in the README. */
export const TACHO = '.venv/bin/tacho';
