export interface University {
  web_pages: string[];
  name: string;
  domains: string[];
  alpha_two_code: string;
  country: string;
  'state-province': string | null;
}
