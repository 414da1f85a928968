// Whether a service must read the file at each request. If not, it may keep the list in memory.
export const FILE_CHANGES = false;
