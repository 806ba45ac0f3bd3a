import "@askbridge/react/theme.css";
import { createRoot } from "react-dom/client";
import { appWords, pickLanguage } from "@askbridge/words";

const words = appWords[pickLanguage(navigator.languages)];
const place = document.getElementById("app");
if (!place) throw new Error("index.html has an element with the id `app`");
createRoot(place).render(<p>{words.nothingWaits}</p>);
