/** The language of the components below. */

import { createContext, useContext } from "react";
import { cardWords, type CardWords, type Language } from "@askbridge/words";

export const Speaks = createContext<Language>("en");

export const useWords = (): CardWords => cardWords[useContext(Speaks)];
export const useSpoken = (): Language => useContext(Speaks);
